import { definePlugin } from '../../core/index.ts';
import { readTemplates } from './read-templates.ts';
import { listed } from './listed.ts';
import { reclaims } from './reclaims.ts';
import { requested } from './requested.ts';
import { returned } from './returned.ts';
import { status } from './status.ts';
import { templates } from './templates.ts';

/** Scheduler strategy `default`: snake_case, the whole truth. It reads every template file that no other dialect recognises. */
export default definePlugin({
  name: 'default-format',
  contract: 1,
  schedulers: [{ name: 'default', requested, returned, status, listed, templates, reclaims, readTemplates }],
});
