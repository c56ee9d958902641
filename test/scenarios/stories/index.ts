import type { Story } from '../story.ts';
import { cancel } from './cancel.ts';
import { otherMarket } from './other-market.ts';
import { otherRegion } from './other-region.ts';
import { otherType } from './other-type.ts';
import { partial } from './partial.ts';
import { provision } from './provision.ts';
import { returnAll } from './return-all.ts';
import { returnPart } from './return-part.ts';
import { timeOutHanging } from './time-out-hanging.ts';
import { timeOutShort } from './time-out-short.ts';

export const stories: readonly Story[] = [
  provision,
  partial,
  otherType,
  otherMarket,
  otherRegion,
  returnPart,
  returnAll,
  cancel,
  timeOutShort,
  timeOutHanging,
];
