/** Who reads: Spectrum Symphony's HostFactory, or LSF's resource connector, which wants a few things differently. */
export type Dialect = 'symphony' | 'lsf';
