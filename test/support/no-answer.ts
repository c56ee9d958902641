import { ProviderFault, type Clock } from '../../core/index.ts';

export const noAnswer = (): ProviderFault => new ProviderFault('unavailable', 'No answer.');

/** What a call does at an instance that gives no answer for `ms`. */
export const noAnswerAfter = (clock: Pick<Clock, 'sleep'>, ms: number) => async (): Promise<never> => {
  await clock.sleep(ms);
  throw noAnswer();
};
