import { definePlugin } from '../../core/index.ts';
import { webhook } from './webhook.ts';

/** The event sink type `webhook`: sends each event to a URL. */
export default definePlugin({ name: 'events-webhook', contract: 1, eventSinkTypes: [webhook] });
