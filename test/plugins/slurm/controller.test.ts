import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { controllerOf } from '../../../plugins/slurm/controller/controller.ts';

test.serial('an answer that a busy thread reads too late is no empty answer', async (t) => {
  const bin = mkdtempSync(join(tmpdir(), 'controller-'));
  t.teardown(() => rmSync(bin, { recursive: true, force: true }));
  writeFileSync(join(bin, 'scontrol'), '#!/bin/sh\necho "NodeName=a-1 State=IDLE+CLOUD"\n');
  chmodSync(join(bin, 'scontrol'), 0o755);
  const nodes = controllerOf({ bin }).nodes(600);
  nodes.catch(() => undefined);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
  await t.throwsAsync(nodes, { message: /^scontrol show node failed: no answer within 600 ms/ });
});
