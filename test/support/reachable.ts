import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const above = (path: string): readonly string[] => (dirname(path) === path ? [path] : [path, ...above(dirname(path))]);

const othersMayEnter = 0o001;

/**
 * Whether every user can reach the files of this project. A clone in the home of root, or in a temporary directory of
 * one user, is closed to the others.
 */
export const isReachable = above(import.meta.dirname).every((path) => statSync(path).mode & othersMayEnter);
