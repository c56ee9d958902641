import type { CloudSettings } from '../config.ts';

/** The services that an instance calls. */
export type ServiceName = keyof CloudSettings['endpoints'];

/**
 * The configured endpoint of a service; undefined: the public one of the region. `endpoint_url` counts for all
 * services, unless its name shows that it serves EC2 alone.
 */
export function endpointOf(settings: CloudSettings, service: ServiceName): string | undefined {
  const { endpoint_url, endpoints } = settings;
  const named = endpoints[service];
  if (named !== null) return named;
  return endpoint_url === null || (service !== 'ec2' && isEc2Only(endpoint_url)) ? undefined : endpoint_url;
}

/** Whether the calls of EC2 go to AWS itself, by a public or a private name. */
export function callsAws(settings: CloudSettings): boolean {
  const endpoint = endpointOf(settings, 'ec2');
  return endpoint === undefined || awsNames.test(hostOf(endpoint));
}

const awsNames =
  /\.(amazonaws\.com(\.cn)?|api\.aws|api\.amazonwebservices\.com\.cn|amazonaws\.eu|c2s\.ic\.gov|sc2s\.sgov\.gov|csp\.hci\.ic\.gov|cloud\.adc-e\.uk)$/;

/**
 * `ec2.us-east-1.amazonaws.com`, `ec2.us-east-1.api.aws`, `vpce-1-a.ec2.us-east-1.vpce.amazonaws.com`, and names of
 * one's own such as `ec2.example.com`. A FIPS endpoint has the label `ec2-fips`.
 */
const isEc2Only = (endpoint: string): boolean =>
  hostOf(endpoint)
    .split('.')
    .some((label) => /^ec2(-fips)?$/.test(label));

const hostOf = (endpoint: string): string => URL.parse(endpoint)?.hostname ?? '';
