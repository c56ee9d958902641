import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { chromium as browsers, type Browser } from 'playwright-core';

const unpacked = join(import.meta.dirname, '../../node_modules/.cache/chromium');

/** A browser without a screen. The first one is unpacked, into a directory that outlives the run. */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(unpacked)) await unpack();
  // Several contexts, one after another, need more than one process.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return browsers.launch({
    executablePath: join(unpacked, 'chromium'),
    args,
    headless: true,
    env: { ...process.env, TMPDIR: unpacked },
  });
}

/**
 * Unpacks the browser beside its place and renames it, because several test files may do so at once: the package takes
 * a file that another process has half written for the browser.
 */
async function unpack(): Promise<void> {
  await mkdir(dirname(unpacked), { recursive: true });
  const draft = await mkdtemp(`${unpacked}-`);
  const { TMPDIR: before } = process.env;
  // The package unpacks into the temporary directory.
  process.env['TMPDIR'] = draft;
  await chromium.executablePath().finally(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  await rename(draft, unpacked).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}
