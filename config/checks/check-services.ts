import { isError, type Finding } from '../../core/contract/findings.ts';
import type { BrokerService } from '../../core/contract/service/service.ts';
import { compile } from '../../core/schema/compile.ts';
import type { Tree } from '../sources/read-sources.ts';

/**
 * Takes the sections of services out of the configuration and checks each by its schema and its review. A service
 * without a section is left out.
 */
export function checkServices(
  tree: Tree,
  offered: readonly BrokerService<any>[],
  findings: Finding[],
): { readonly rest: Tree; readonly services: Readonly<Record<string, unknown>> } {
  const rest: Record<string, unknown> = { ...tree };
  const services: Record<string, unknown> = {};
  for (const service of offered) {
    const { name } = service;
    const given = rest[name];
    delete rest[name];
    if (given === undefined || given === null) continue;
    const parsed = compile(service.settings).parse(given);
    const found = [...(parsed.findings ?? []), ...(parsed.value ? (service.review?.(parsed.value) ?? []) : [])];
    findings.push(...found.map((finding) => ({ ...finding, path: `/${name}${finding.path}` })));
    if (!found.some(isError) && parsed.value) services[name] = parsed.value;
  }
  return { rest, services };
}
