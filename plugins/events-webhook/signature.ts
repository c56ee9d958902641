import { createHmac } from 'node:crypto';

/**
 * The value of `X-Muster-Signature`: `t=<unix seconds>,v1=<hex>`, with the HMAC-SHA256 of `<unix seconds>.<body>`. The
 * receiver computes it again from the body as it came, compares in constant time, and refuses an old time, so that
 * nobody can send a recorded event again.
 */
export function signature(secret: string, body: string, now_ms: number): string {
  const seconds = Math.floor(now_ms / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
