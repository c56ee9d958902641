/** A public parameter of Systems Manager that always contains the current image of a distribution. */
export interface PublicImage {
  readonly parameter: string;
  readonly description: string;
  readonly arch: 'x86_64' | 'arm64';
}

const amazonLinux = '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default';
const ubuntu = '/aws/service/canonical/ubuntu/server/24.04/stable/current';
const debian = '/aws/service/debian/release/12/latest';

/** The images that are proposed, the most usual first. At most ten: one call of GetParameters reads so many. */
export const publicImages: readonly PublicImage[] = [
  { parameter: `${amazonLinux}-x86_64`, description: 'Amazon Linux 2023', arch: 'x86_64' },
  { parameter: `${amazonLinux}-arm64`, description: 'Amazon Linux 2023', arch: 'arm64' },
  { parameter: `${ubuntu}/amd64/hvm/ebs-gp3/ami-id`, description: 'Ubuntu 24.04', arch: 'x86_64' },
  { parameter: `${ubuntu}/arm64/hvm/ebs-gp3/ami-id`, description: 'Ubuntu 24.04', arch: 'arm64' },
  { parameter: `${debian}/amd64`, description: 'Debian 12', arch: 'x86_64' },
  { parameter: `${debian}/arm64`, description: 'Debian 12', arch: 'arm64' },
];
