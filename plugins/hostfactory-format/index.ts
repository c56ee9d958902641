import { definePlugin } from '../../core/index.ts';
import { readTemplates } from './templates/read-templates.ts';
import { recognizes } from './templates/recognizes.ts';
import { strategy } from './strategy.ts';

/**
 * The HostFactory provider interface and the template files of its providers: `hostfactory` for Symphony, `lsf` for
 * LSF.
 */
export default definePlugin({
  name: 'hostfactory-format',
  contract: 1,
  schedulers: [{ ...strategy('hostfactory', 'symphony'), recognizes, readTemplates }, strategy('lsf', 'lsf')],
});
