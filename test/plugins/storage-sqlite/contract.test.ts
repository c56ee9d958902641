import test from 'ava';
import { checkStorage } from '../../support/storage-contract.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

checkStorage({ test, shared: true, place: freshPath, open: openFile });
