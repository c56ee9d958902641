import { Type } from 'typebox';
import { defineStorage, MemoryStore } from '../../core/index.ts';

/** `storage: {type: memory}`: every open begins empty. */
export const memoryStorage = defineStorage({
  type: 'memory',
  shared: false,
  options: Type.Object({}),
  open: (_options, context) => Promise.resolve(new MemoryStore(context)),
});
