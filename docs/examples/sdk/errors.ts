import { connect, NotFoundError } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });

// #region errors
try {
  await muster.create_request({ template_id: 'smal', machine_count: 1 });
} catch (error) {
  if (!(error instanceof NotFoundError)) throw error;
  console.log(error.entity_type, error.entity_id); // template smal
  console.log(error.code, error.details['suggestion']); // TEMPLATE_NOT_FOUND Did you mean 'small'?
}
// #endregion
