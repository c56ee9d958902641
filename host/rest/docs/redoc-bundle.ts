import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BrokerError } from '../../../core/contract/errors.ts';

/** A picture that the footer of Redoc would fetch from another origin. An empty data address shows nothing. */
const remotePicture = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/**
 * Returns the script of Redoc. A build has it beside this file (`scripts/copy-assets.ts`); the sources have it as a
 * development dependency. Throws NOT_FOUND when it is missing.
 */
export function redocBundle(): Buffer {
  const script = bundled() ?? installed();
  if (script === undefined)
    throw new BrokerError(
      'NOT_FOUND',
      'This installation lacks the script of Redoc; open /docs for the same content. npm run build adds the script.',
    );
  return Buffer.from(script.replaceAll(remotePicture, 'data:,'));
}

function bundled(): string | undefined {
  return text(new URL('./redoc.standalone.js', import.meta.url));
}

function installed(): string | undefined {
  try {
    return text(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'));
  } catch {
    return undefined;
  }
}

function text(file: URL | string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
