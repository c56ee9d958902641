import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { queuePerConnection } from '../../../../host/rest/body/queue-per-connection.ts';

/** A connection; what is sent over it goes on when it is its turn, and is then answered by hand. */
function connection() {
  const gone: number[] = [];
  const answers: EventEmitter[] = [];
  let closed = false;
  const socket = { destroy: () => void (closed = true) };
  return {
    gone,
    answer: (call: number) => answers[call]?.emit('close'),
    closed: () => closed,
    send(calls: number) {
      for (let i = 0; i < calls; i += 1) {
        const call = answers.push(new EventEmitter()) - 1;
        queuePerConnection(
          { socket } as unknown as IncomingMessage,
          answers[call] as EventEmitter as never,
          () => void gone.push(call),
        );
      }
    },
  };
}

test('of pipelined calls on one connection eight run at the same time, the others in their order afterwards', (t) => {
  const { send, gone, answer } = connection();
  send(10);
  t.deepEqual(gone, [0, 1, 2, 3, 4, 5, 6, 7]);
  answer(0);
  t.deepEqual(gone.slice(8), [8]);
  answer(1);
  t.deepEqual(gone.slice(8), [8, 9]);
  for (let call = 2; call < 10; call += 1) answer(call);
  send(9);
  t.deepEqual(gone.slice(10), [10, 11, 12, 13, 14, 15, 16, 17]);
});

test('a connection on which more than a hundred calls wait is closed; another one is nothing to it', (t) => {
  const [flood, other] = [connection(), connection()];
  flood.send(108);
  t.false(flood.closed());
  flood.send(1);
  t.true(flood.closed());
  other.send(1);
  t.deepEqual(other.gone, [0]);
});
