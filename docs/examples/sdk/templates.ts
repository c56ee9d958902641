import { connect } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });

{
  // #region list_templates
  const { templates, total_count } = await muster.list_templates({
    provider_api: 'EC2Fleet',
    sort: 'template_id:asc',
  });
  console.log(total_count, templates.at(-1)?.template_id); // 2 workers
  // #endregion
}
{
  // #region get_template
  const { template } = await muster.get_template({ template_id: 'small', include_source: true });
  console.log(template.machine_type, template.source_info?.source_file); // t3.small templates.json
  // #endregion
}
{
  // #region create_template
  const { message } = await muster.create_template({
    template_id: 'nightly',
    provider_api: 'RunInstances',
    image_id: 'ami-067bea1a7acde1586',
    machine_type: 't3.medium',
    subnet_ids: ['subnet-0e24c7ca3264c9054'],
    key_name: 'ops',
    max_instances: 20,
  });
  console.log(message); // Template 'nightly' was created.
  // #endregion
}
{
  // #region update_template
  await muster.update_template({ template_id: 'nightly', max_instances: 40, key_name: null });
  const { template } = await muster.get_template({ template_id: 'nightly' });
  console.log(template.max_instances, template.key_name); // 40 undefined
  // #endregion
}
{
  // #region validate_template
  const { valid, validationErrors } = await muster.validate_template({
    template_id: 'draft',
    image_id: 'ami-1',
    max_instances: 'many',
  });
  console.log(valid, validationErrors[0]); // false /max_instances: must be an integer, not a string
  // #endregion
}
{
  // #region validate_template_for_provider
  const fit = await muster.validate_template_for_provider({
    template_id: 'nightly',
    provider_instance: 'simulated',
    validation_level: 'lenient',
  });
  console.log(fit.valid, fit.errors.length); // true 0
  // #endregion
}
{
  // #region validate_template_for_providers
  const { compatible_providers } = await muster.validate_template_for_providers({ template_id: 'nightly' });
  console.log(compatible_providers); // [ 'simulated' ]
  // #endregion
}
{
  // #region refresh_templates
  const { templateCount, cacheStats } = await muster.refresh_templates();
  console.log(templateCount, cacheStats['made_over_api']); // 5 1
  // #endregion
}
{
  // #region delete_template
  const { message } = await muster.delete_template({ template_id: 'nightly' });
  console.log(message); // Template 'nightly' was deleted.
  // #endregion
}
