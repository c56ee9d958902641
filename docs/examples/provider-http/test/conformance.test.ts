import { test } from 'node:test';
import { testProvider } from 'muster/plugin-testkit';
import plugin from '../index.ts';
import { fakeCloud } from './fake-cloud.ts';

testProvider({
  test,
  plugin,
  // A cloud of its own for each check.
  open: async () => {
    const cloud = await fakeCloud();
    return { cloud, config: { url: cloud.url }, template: { size: 'small' } };
  },
  close: ({ cloud }) => cloud.close(),
  living: ({ cloud }) => cloud.living(),
  // Leave out a fault that the fake cloud cannot produce: its check is listed as todo.
  faults: {
    capacity: ({ cloud }) => cloud.goWrong(409),
    throttled: ({ cloud }) => cloud.goWrong(429),
    credentials: ({ cloud }) => cloud.goWrong(401),
    invalid: ({ cloud }) => cloud.goWrong(422),
    unavailable: ({ cloud }) => cloud.goWrong(503),
  },
  room: ({ cloud }, machines) => cloud.leaveRoom(machines),
  loseAnswer: ({ cloud }) => cloud.goWrong('lost'),
  hang: ({ cloud }) => cloud.goWrong('hang'),
  endMachine: ({ cloud }, machine_id) => cloud.end(machine_id),
});
