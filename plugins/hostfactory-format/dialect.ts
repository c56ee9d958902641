/**
 * The reader of an answer: HostFactory of Spectrum Symphony, or the resource connector of LSF, which differs in some
 * fields.
 */
export type Dialect = 'symphony' | 'lsf';
