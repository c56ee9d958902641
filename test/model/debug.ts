import { readFileSync } from 'node:fs';
import { play } from './play.ts';
const h = JSON.parse(readFileSync(process.argv[2]!, 'utf8'), (k, v) => v);
const { violations, world } = await play(h);
console.log(violations.slice(0, 8));
const s = world.shelf;
for (const r of s.requests.values()) {
  const { request_id, kind, status, message, delivered, next_at, holds, deadline_at } = r as any;
  console.log(
    request_id,
    kind,
    status,
    message.slice(0, 100),
    { delivered, holds, next_at: next_at && next_at - world.time.wall(), deadline: deadline_at - world.time.wall() },
    [...(s.attempts.get(request_id)?.values() ?? [])]
      .slice(-6)
      .map((a) => `${a.attempt}:${a.provider_instance}:${a.state}:${a.settled}:${a.order.machine_count}`)
      .join(' '),
    [...s.machines.values()]
      .filter((m) => m.request_id === request_id)
      .slice(0, 12)
      .map((m) => `${m.machine_id}:${m.status}:${m.going ?? ''}${m.gone_at ? ':gone' : ''}${m.lost ? ':lost' : ''}`)
      .join(' '),
  );
}
for (const w of s.wishes.values()) console.log(w.wish_id.slice(-4), w.kind, w.request_id, w.machines.length, w.absorbed);
console.log(
  world.lives.map((l) => `${l.name} ${l.state} ${l.loop?.trouble()}`),
  world.time.now,
);
