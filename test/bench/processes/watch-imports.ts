/**
 * Loaded with `--import` into every thread of a process: writes down each module of the cloud's SDK that is loaded,
 * into the file that `BENCH_IMPORTS` names.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { threadId } from 'node:worker_threads';

const file = process.env['BENCH_IMPORTS'];

if (file !== undefined) {
  registerHooks({
    load(url, context, nextLoad) {
      if (/\/node_modules\/@(aws-sdk|aws|smithy)\//.test(url)) appendFileSync(file, `${threadId} ${url}\n`);
      return nextLoad(url, context);
    },
  });
}
