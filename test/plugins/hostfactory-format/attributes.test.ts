import test from 'ava';
import type { MachineType } from '../../../core/index.ts';
import { attributesOf } from '../../../plugins/hostfactory-format/templates/attributes.ts';

const large: MachineType = { name: 'm5.large', vcpus: 2, cores: 1, memory_mib: 8192, arch: 'x86_64' };

test('what the file says wins, the machine type fills what is missing, in physical CPUs', (t) => {
  const template = { template_id: 'a', attributes: { nram: ['Numeric', '4000'], zone: 'east' } };
  t.deepEqual(attributesOf({ template, machine_type: large }), {
    nram: ['Numeric', '4000'],
    zone: ['String', 'east'],
    type: ['String', 'X86_64'],
    ncpus: ['Numeric', '1'],
    ncores: ['Numeric', '1'],
  });
});

test('without a known machine type the smallest machine is assumed, so that HostFactory takes the template', (t) => {
  t.deepEqual(attributesOf({ template: { template_id: 'a' } }), {
    type: ['String', 'X86_64'],
    ncpus: ['Numeric', '1'],
    nram: ['Numeric', '1024'],
  });
});

test('an attribute of one element, a plain value or a range is taken, and pairs of two texts are given', (t) => {
  const attributes = {
    nram: ['4096'],
    ncpus: 2,
    ncores: '[1:8]',
    awshost: true,
    rank: ['Numeric', 7],
    type: ['X86_64'],
  };
  t.deepEqual(attributesOf({ template: { template_id: 'a', attributes } as never }), {
    nram: ['Numeric', '4096'],
    ncpus: ['Numeric', '2'],
    ncores: ['Numeric', '[1:8]'],
    awshost: ['Boolean', '1'],
    rank: ['Numeric', '7'],
    type: ['String', 'X86_64'],
  });
});
