import { Type } from 'typebox';
import { defineStorage } from '../../core/index.ts';
import { MemoryStore } from './memory-store.ts';

/** `storage: {type: memory}`: every open begins empty. */
export const memoryStorage = defineStorage({
  type: 'memory',
  shared: false,
  options: Type.Object({}),
  open: (_options, context) => Promise.resolve(new MemoryStore(context)),
});
