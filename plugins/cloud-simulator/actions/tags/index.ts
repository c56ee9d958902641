import type { Action } from '../../dispatch/action.ts';
import { createTags } from './create-tags.ts';
import { deleteTags } from './delete-tags.ts';
import { describeTags } from './describe-tags.ts';

export const tagsActions: readonly Action[] = [createTags, deleteTags, describeTags];
