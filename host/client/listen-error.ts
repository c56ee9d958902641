/** Returns the error that listening on the address would give; undefined when it is free. */
export function listenError(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = process.getBuiltinModule('node:net').createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
