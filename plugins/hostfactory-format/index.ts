import { definePlugin } from '../../core/index.ts';
import { readTemplates } from './templates/read-templates.ts';
import { recognises } from './templates/recognises.ts';
import { strategy } from './strategy.ts';

/**
 * The words of the HostFactory provider interface, and the template files of its providers: for Symphony as
 * `hostfactory`, for LSF as `lsf`.
 */
export default definePlugin({
  name: 'hostfactory-format',
  contract: 1,
  schedulers: [{ ...strategy('hostfactory', 'symphony'), recognises, readTemplates }, strategy('lsf', 'lsf')],
});
