import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { chromium as browsers, type Browser } from 'playwright-core';

const unpacked = join(import.meta.dirname, '../../node_modules/.cache/chromium');

/**
 * A browser without a screen. It unpacks itself into the temporary directory, once: here that is one that stays,
 * outside of what a run leaves behind.
 */
export async function launchBrowser(): Promise<Browser> {
  const { TMPDIR: before } = process.env;
  mkdirSync(unpacked, { recursive: true });
  process.env['TMPDIR'] = unpacked;
  const executablePath = await chromium.executablePath().finally(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  // Several contexts, one after another, need more than one process.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return browsers.launch({ executablePath, args, headless: true, env: { ...process.env, TMPDIR: unpacked } });
}
