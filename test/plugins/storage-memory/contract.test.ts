import test from 'ava';
import plugin from '../../../plugins/storage-memory/index.ts';
import { testStorage } from '../../../plugin-testkit/index.ts';

testStorage({ test, plugin: () => plugin, durable: false, place: () => '', options: () => ({}) });
