import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** Resources by which something leaves the process, and what each is in words. */
const doors: Readonly<Record<string, string>> = {
  TCPCONNECTWRAP: 'opened a connection',
  PIPECONNECTWRAP: 'opened a local socket',
  UDPWRAP: 'opened a datagram socket',
  GETADDRINFOREQWRAP: 'looked up a host name',
  QUERYWRAP: 'looked up a host name',
  PROCESSWRAP: 'started a process',
};

const watches = new AsyncLocalStorage<Set<string>>();
let running = 0;
const hook = createHook({
  init(_id, resource) {
    const door = doors[resource];
    if (door !== undefined) watches.getStore()?.add(door);
  },
});

/**
 * What `act`, and whatever it set going, did that reaches beyond the process. Told apart by where it comes from: other
 * checks may use the network meanwhile. /
 */
export async function networkUse(act: () => Promise<void>): Promise<string[]> {
  const seen = new Set<string>();
  running += 1;
  hook.enable();
  try {
    await watches.run(seen, act);
  } finally {
    running -= 1;
    if (running === 0) hook.disable();
  }
  return [...seen];
}
