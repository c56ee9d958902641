import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { scenarios } from '../../plugins/cloud-simulator/knobs/scenarios.ts';
import { betweenMarks } from '../markdown/between-marks.ts';
import { madeFile, root, type Page } from './page.ts';

const script = 'docs/examples/rehearse.ts';

/** The script of the guide to rehearsals, and its output in every scenario. */
export const rehearsalPage: Page = {
  name: 'rehearsal',
  // It runs the program, whose commands are read from there.
  after: ['cli-declarations'],
  // It starts a simulated cloud and a client of it for every scenario.
  tested_in: 'test/e2e/rehearse.long.test.ts',
  make: async () => {
    const shown: string[] = [];
    for (const [name, { sentence }] of Object.entries(scenarios)) {
      shown.push(`### ${name}\n\n${wrapped(sentence)}\n\n\`\`\`\n${await rehearse(name)}\`\`\`\n`);
    }
    const source = `\`\`\`ts\n${readFileSync(join(root, script), 'utf8')}\`\`\`\n`;
    return [
      madeFile('docs/guides/rehearse-your-failures.md', (written) =>
        betweenMarks(betweenMarks(written, 'script', source), 'scenarios', shown.join('\n')),
      ),
    ];
  },
};

/** The output of the script on a simulated cloud of that scenario; both start as the page shows. */
async function rehearse(scenario: string): Promise<string> {
  const options = ['--port', '0', '--scenario', scenario, '--seed', '11', '--clock', 'standing'];
  const cloud = spawn(join(root, 'host/bin/muster'), ['simulator', 'start', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const url = /http:\/\/[^ :]+:\d+/.exec(await firstLine(cloud.stdout))?.[0];
    if (url === undefined) throw new Error(`The simulated cloud did not say where it is in scenario ${scenario}.`);
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, script), url], { timeout: 60_000 });
    return stdout;
  } finally {
    cloud.kill();
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  return '';
}

/** Lines that end before column 120. */
const wrapped = (text: string): string => text.replace(/(.{1,119})(?: |$)/g, '$1\n').trimEnd();
