/** Why a server could not listen there now, as the system says it; undefined where it could. */
export function whyNotFree(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = process.getBuiltinModule('node:net').createServer();
  return new Promise((say) => {
    server.once('error', say);
    server.listen(port, host, () => server.close(() => say(undefined)));
  });
}
