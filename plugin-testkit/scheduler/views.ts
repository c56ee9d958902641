import assert from 'node:assert/strict';
import {
  isTerminal,
  requestStatuses,
  type RequestDetail,
  type RequestStatus,
  type SchedulerStrategy,
} from '../../core/index.ts';
import type { Checks } from '../runner.ts';
import { deepFrozen } from './deep-frozen.ts';
import { assertAnswer, fitting, renderedTwice, textOf } from './rendered.ts';
import { lists, reclaims, templateLists } from './list-situations.ts';
import { provisionRequest, requests, requestId, returnId, returns, type Situations } from './situations.ts';

type ViewName = 'requested' | 'returned' | 'status' | 'listed' | 'templates' | 'reclaims';

const all = { ...requests, ...returns };

/** Checks of the views of a strategy. */
export function checkViews({ check }: Checks, strategy: SchedulerStrategy): void {
  view('requested', requests);
  view('returned', returns);
  view('status', all);
  view('listed', lists);
  view('templates', templateLists);
  view('reclaims', reclaims);

  function view(name: ViewName, situations: Situations<unknown>): void {
    const render = (value: unknown) => strategy[name].render(value as never);

    check(
      `\`${name}\` renders every situation, from its arguments alone, without changing them, reading a clock or random numbers`,
      async () => {
        for (const [what, value] of Object.entries(situations)) renderedTwice(render, value, what);
      },
    );

    check(
      `what \`${name}\` renders is ${strategy.media_type === undefined ? 'JSON' : 'text'} and fits its own schema`,
      async () => {
        const fits = fitting(strategy[name].schema, name);
        for (const [what, value] of Object.entries(situations)) {
          const rendered = render(value);
          assertAnswer(strategy, rendered, what);
          fits(rendered, what);
        }
      },
    );
  }

  check('the id of a request can be found in the answer to it, in its status and in a list', async () => {
    for (const [what, detail] of Object.entries(requests)) {
      assert.ok(
        textOf(strategy.requested.render(detail)).includes(requestId),
        `${what}: the answer to the caller lacks its id.`,
      );
      assert.ok(textOf(strategy.status.render(detail)).includes(requestId), `${what}: its status lacks its id.`);
      assert.ok(textOf(strategy.listed.entry(detail)).includes(requestId), `${what}: a list lacks its id.`);
    }
  });

  check('the id of a return can be found in the answer to it, in its status and in a list', async () => {
    for (const [what, detail] of Object.entries(returns)) {
      assert.ok(
        textOf(strategy.returned.render(detail)).includes(returnId),
        `${what}: the answer to the caller lacks its id.`,
      );
      assert.ok(textOf(strategy.status.render(detail)).includes(returnId), `${what}: its status lacks its id.`);
      assert.ok(textOf(strategy.listed.entry(detail)).includes(returnId), `${what}: a list lacks its id.`);
    }
  });

  check('the ids of its machines can be found in the status of a request', async () => {
    for (const what of ['one that is completed', 'one in progress, with machines of every status'] as const) {
      const detail = requests[what] as RequestDetail;
      const text = textOf(strategy.status.render(detail));
      for (const { machine_id } of detail.machines ?? [])
        assert.ok(text.includes(machine_id), `${what}: '${machine_id}' is not there.`);
    }
  });

  check('an open request never renders like an ended one, in its status and in a list', async () => {
    for (const kind of ['provision', 'return'] as const) {
      const detail = (status: RequestStatus, more: object): RequestDetail =>
        deepFrozen({
          request: provisionRequest({ kind, status, ...more }),
          machines: (requests['one that is completed'] as RequestDetail).machines ?? [],
        });
      for (const more of [{}, { delivered: 2 }, { cancel_requested_at: 1, delivered: 2 }])
        for (const [name, render] of [
          ['status', strategy.status.render],
          ['entry', strategy.listed.entry],
        ] as const) {
          const looks = new Map(requestStatuses.map((status) => [status, textOf(render(detail(status, more)))]));
          for (const open of requestStatuses.filter((each) => !isTerminal(each)))
            for (const over of requestStatuses.filter(isTerminal))
              assert.notEqual(
                looks.get(open),
                looks.get(over),
                `${name}: a ${kind} that is ${open} looks like one that is ${over}.`,
              );
        }
    }
  });

  const word = strategy.statusWord?.bind(strategy);
  if (!word) return;
  check('its status word shows whether the request has ended', async () => {
    const words = new Map(requestStatuses.map((status) => [status, word(provisionRequest({ status, delivered: 2 }))]));
    for (const each of words.values()) assert.ok(typeof each === 'string' && each !== '');
    for (const open of requestStatuses.filter((each) => !isTerminal(each)))
      for (const over of requestStatuses.filter(isTerminal))
        assert.notEqual(words.get(open), words.get(over), `${open} is called as ${over} is.`);
  });
}
