import { cells } from './cells.ts';
import { play } from './play.ts';

play('calm', cells, '');
