import { definePlugin } from '../../core/index.ts';
import { readTemplates } from './read-templates.ts';
import { listed, requested, returned, status, templates, reclaims } from './views.ts';

/**
 * Scheduler strategy `default`: snake_case, the whole truth. It reads every template file that no other dialect
 * recognises.
 */
export default definePlugin({
  name: 'default-format',
  contract: 1,
  schedulers: [{ name: 'default', requested, returned, status, listed, templates, reclaims, readTemplates }],
});
