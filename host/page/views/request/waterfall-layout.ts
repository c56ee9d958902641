import type { Attempt, Machine, MilestoneName, Timeline } from '../../api/shapes.ts';
import { timeScale, type TimeScale } from './time-scale.ts';

/** A stretch of a lane, in percent of the line. */
export interface Stretch {
  readonly kind: 'waiting' | 'call' | 'booting' | 'ready' | 'ending';
  readonly from: number;
  readonly to: number;
}

/** A moment of a lane. */
export interface Instant {
  readonly kind: 'outcome' | 'gone' | 'failed';
  readonly at: number;
  readonly text: string;
}

export interface MachineLane {
  readonly machine: Machine;
  readonly stretches: readonly Stretch[];
  readonly moments: readonly Instant[];
}

/** How many machines exist, and how many of them are ready, over time: steps as `[percent, count]`. */
export interface Crowd {
  readonly most: number;
  readonly launched: readonly (readonly [number, number])[];
  readonly ready: readonly (readonly [number, number])[];
}

export interface AttemptLane {
  readonly number: number;
  readonly attempt: Attempt | undefined;
  readonly machines: readonly Machine[];
  readonly stretches: readonly Stretch[];
  readonly moments: readonly Instant[];
  /** One lane for each machine, or for many machines their number over time. */
  readonly lanes: readonly MachineLane[];
  readonly crowd?: Crowd;
}

export interface Milestone {
  readonly name: MilestoneName;
  readonly label: string;
  readonly time: number;
  readonly at: number;
  /** Labels that would overlap stand in different rows, from 0. */
  readonly row: number;
  /** The label stands before its line, because it would not fit behind it. */
  readonly before: boolean;
}

export interface Waterfall {
  readonly scale: TimeScale;
  readonly milestones: readonly Milestone[];
  readonly attempts: readonly AttemptLane[];
}

export interface Drawn {
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly now: number;
  readonly timeline?: Timeline | undefined;
  readonly attempts: readonly Attempt[];
  readonly machines: readonly Machine[];
}

/** Up to so many machines have a lane each. */
export const mostLanes = 24;

const labels: Readonly<Record<MilestoneName, string>> = {
  accepted: 'accepted',
  selected: 'selected',
  ordered: 'ordered',
  first_machine: 'first machine',
  all_ready: 'all ready',
  returned: 'returned',
};

const timeOf = (iso: string | null | undefined): number | undefined =>
  iso === null || iso === undefined ? undefined : Date.parse(iso);

/** Where everything of a request is drawn. Pure. */
export function waterfall(drawn: Drawn): Waterfall {
  const { machines, attempts, now } = drawn;
  const from = Date.parse(drawn.created_at);
  const completed = timeOf(drawn.completed_at);
  const isOver = completed !== undefined;
  const ends = [
    ...attempts.map(({ ended_at, created_at }) => timeOf(ended_at) ?? Date.parse(created_at)),
    ...machines.flatMap(({ ready_at }) => timeOf(ready_at) ?? []),
  ].filter((time) => !isOver || time <= completed);
  const settled = isOver ? Math.max(completed, ...ends) : now;
  const alive = machines.some(({ gone_at }) => gone_at === null);
  const lastGone = Math.max(0, ...machines.map(({ gone_at }) => timeOf(gone_at) ?? 0));
  const to = isOver && !alive ? Math.max(settled, lastGone) : now;
  const scale = timeScale(from, settled, to);
  return {
    scale,
    milestones: milestonesOf(drawn, scale),
    attempts: lanesOf(drawn, scale, to),
  };
}

function milestonesOf({ timeline, created_at }: Drawn, scale: TimeScale): readonly Milestone[] {
  const known = timeline?.milestones ?? { accepted: created_at };
  const found = Object.entries(known).flatMap(([name, iso]) => {
    const time = timeOf(iso);
    const label = labels[name as MilestoneName];
    return time === undefined || label === undefined
      ? []
      : [{ name: name as MilestoneName, label, time, at: scale.at(time) }];
  });
  const ordered = found.toSorted((a, b) => a.time - b.time);
  const rowEnds: number[] = [];
  return ordered.map((milestone) => {
    const width = 2.5 + milestone.label.length * 0.75;
    const before = milestone.at + width > 100;
    const begin = before ? milestone.at - width : milestone.at;
    let row = rowEnds.findIndex((end) => end <= begin);
    if (row === -1) row = rowEnds.length;
    rowEnds[row] = begin + width;
    return { ...milestone, row, before };
  });
}

function lanesOf({ attempts, machines, now }: Drawn, scale: TimeScale, to: number): readonly AttemptLane[] {
  const byAttempt = Map.groupBy(machines, ({ attempt }) => attempt);
  const known = new Map(attempts.map((attempt) => [attempt.attempt, attempt]));
  const numbers = [...new Set([...known.keys(), ...byAttempt.keys()])].toSorted((a, b) => a - b);
  return numbers.map((number) => {
    const attempt = known.get(number);
    const its = byAttempt.get(number) ?? [];
    return {
      number,
      attempt,
      machines: its,
      ...(attempt ? callOf(attempt, scale, now) : { stretches: [], moments: [] }),
      lanes: its.length <= mostLanes ? its.map((machine) => machineLane(machine, scale, to)) : [],
      ...(its.length > mostLanes ? { crowd: crowdOf(its, scale, to) } : {}),
    };
  });
}

function callOf(
  { created_at, sent_at, ended_at, outcomes }: Attempt,
  scale: TimeScale,
  now: number,
): Pick<AttemptLane, 'stretches' | 'moments'> {
  const created = Date.parse(created_at);
  const ended = timeOf(ended_at) ?? now;
  const sent = timeOf(sent_at) ?? ended;
  const last = Math.max(ended, sent);
  return {
    stretches: [
      { kind: 'waiting' as const, from: scale.at(created), to: scale.at(sent) },
      ...(sent_at ? [{ kind: 'call' as const, from: scale.at(sent), to: scale.at(last) }] : []),
    ],
    moments: outcomes.map(({ at, code, count }) => ({
      kind: 'outcome' as const,
      at: scale.at(Date.parse(at)),
      text: count !== undefined && count > 1 ? `${code} ×${count}` : code,
    })),
  };
}

function machineLane(machine: Machine, scale: TimeScale, to: number): MachineLane {
  const created = timeOf(machine.created_at) ?? to;
  const ready = timeOf(machine.ready_at);
  const gone = timeOf(machine.gone_at);
  const end = gone ?? to;
  return {
    machine,
    stretches: [
      { kind: 'booting' as const, from: scale.at(created), to: scale.at(ready ?? end) },
      ...(ready === undefined ? [] : [{ kind: 'ready' as const, from: scale.at(ready), to: scale.at(end) }]),
    ],
    moments:
      gone === undefined
        ? []
        : [
            {
              kind: machine.status === 'failed' ? ('failed' as const) : ('gone' as const),
              at: scale.at(gone),
              text: machine.status,
            },
          ],
  };
}

function crowdOf(machines: readonly Machine[], scale: TimeScale, to: number): Crowd {
  const steps = (begin: (machine: Machine) => string | null): readonly (readonly [number, number])[] => {
    const changes = machines.flatMap((machine) => {
      const began = timeOf(begin(machine));
      if (began === undefined) return [];
      const gone = timeOf(machine.gone_at);
      return [[began, 1] as const, ...(gone === undefined ? [] : [[gone, -1] as const])];
    });
    let number = 0;
    const points = new Map<number, number>();
    for (const [time, change] of changes.toSorted(([a], [b]) => a - b)) {
      number += change;
      // Steps nearer than a pixel are one.
      points.set(Math.round(scale.at(time) * 10) / 10, number);
    }
    return [...points, [scale.at(to), number]];
  };
  return {
    most: machines.length,
    launched: steps(({ created_at }) => created_at),
    ready: steps(({ ready_at }) => ready_at),
  };
}
