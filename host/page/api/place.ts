/** The path below which a script at `address` finds the routes of its broker: empty, or that of a gateway. Pure. */
export function prefixOf(address: string): string {
  const { pathname } = new URL('.', address);
  return pathname.endsWith('/ui/') ? pathname.slice(0, -'/ui/'.length) : '';
}

/** Where the routes of the broker are, as the browser sees them: a gateway may serve them below a path of its own. */
export const prefix: string = prefixOf(import.meta.url);

/** Below it are all routes of the API. */
export const api: string = `${prefix}/api/v1`;
