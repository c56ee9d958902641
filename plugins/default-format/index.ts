import { definePlugin } from '../../core/index.ts';
import { readTemplates } from './read-templates.ts';
import { listed, requested, returned, status, templates, reclaims } from './views.ts';

/**
 * The scheduler strategy `default`: snake_case names and all fields. It reads every template file that no other
 * strategy recognizes.
 */
export default definePlugin({
  name: 'default-format',
  contract: 1,
  schedulers: [{ name: 'default', requested, returned, status, listed, templates, reclaims, readTemplates }],
});
