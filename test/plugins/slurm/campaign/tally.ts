import type { Report } from './play.ts';

/** Adds up what plays came to. */
export class Tally {
  /** How often slurmctld crashed by itself. */
  crashes = 0;
  #plays = 0;
  readonly #counts = new Map<string, number>();

  add({ jobs, log }: Report): void {
    this.#plays += 1;
    const count = (what: string, more = 1): void => void this.#counts.set(what, (this.#counts.get(what) ?? 0) + more);
    for (const { end, restarts = 0 } of jobs) {
      count(`jobs ${end}`);
      if (restarts > 0) count('restarts of jobs', restarts);
    }
    const met: readonly (readonly [string, RegExp])[] = [
      ['brokers killed at any time', / the broker is killed$/],
      ['brokers killed at a commit', / the broker died \S+ commit /],
      ['brokers killed at a scontrol', / the broker died \S+ scontrol /],
      ['slurmctlds killed', / slurmctld is killed$/],
      ['slurm.confs read again', / reads slurm\.conf again$/],
      ['machines killed', / the machine of \S+ dies$/],
      ['machines reclaimed', / the cloud ends /],
      ['machines that never booted', / never boots$/],
      ['shortages', / has no more than /],
      ['calls at the wrong time', / answered$/],
      ['programs killed', / a program is killed /],
      ['nodes switched by a person', / a person says /],
    ];
    for (const [what, sign] of met) {
      const times = log.filter((line) => sign.test(line)).length;
      if (times > 0) count(what, times);
    }
  }

  get plays(): number {
    return this.#plays;
  }

  table(): string {
    const crashes = this.crashes > 0 ? [['crashes of slurmctld by itself', this.crashes] as const] : [];
    return [...this.#counts, ...crashes].map(([what, count]) => `${String(count).padStart(5)} ${what}`).join('\n');
  }
}
