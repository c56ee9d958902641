import { definePlugin } from '../../core/index.ts';
import { listed } from './listed.ts';
import { readTemplates } from './read-templates.ts';
import { recognises } from './recognises.ts';
import { reclaims } from './reclaims.ts';
import { requested } from './requested.ts';
import { returned } from './returned.ts';
import { status } from './status.ts';
import { templates } from './templates.ts';

/** Scheduler strategy `hostfactory`: the words of the HostFactory provider interface, and the template files of its providers. */
export default definePlugin({
  name: 'hostfactory-format',
  contract: 1,
  schedulers: [{ name: 'hostfactory', requested, returned, status, listed, templates, reclaims, recognises, readTemplates }],
});
