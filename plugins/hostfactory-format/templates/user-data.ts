/**
 * LSF writes user data as variables: `k=v;k=v`. They become a script that exports them; anything else is taken as it is.
 */
export function userData(given: string): string {
  const pairs = given.split(';').filter((pair) => pair.trim() !== '');
  const isVariables = pairs.length > 0 && pairs.every((pair) => /^\s*[A-Za-z_][A-Za-z0-9_]*=[^=]/.test(pair));
  if (!isVariables) return given;
  const lines = pairs.map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return `export ${name}='${value.join('=').replaceAll("'", "'\\''")}'`;
  });
  return Buffer.from(['#!/bin/sh', ...lines, ''].join('\n')).toString('base64');
}
