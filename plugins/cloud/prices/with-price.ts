import type { MachineReport } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { machinePrice } from './machine-price.ts';
import { spotPriceOf } from './spot-prices.ts';

/** The report with the price of the machine, where it is known. */
export function withPrice(session: CloudSession, report: MachineReport): MachineReport {
  const { machine_type, market, zone } = report;
  if (machine_type === undefined || market === undefined) return report;
  const spotPrice = market === 'spot' && zone !== undefined ? spotPriceOf(session, machine_type, zone) : undefined;
  const price = machinePrice(session.settings, { machine_type, market }, spotPrice);
  return price === undefined ? report : { ...report, price };
}
