import { connect } from 'muster';

await using muster = await connect({ url: process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8000' });

{
  // #region list_providers
  const { providers, enabled } = await muster.list_providers();
  console.log(enabled, providers[0]?.name); // 1 simulated
  // #endregion
}
{
  // #region list_budgets
  const { budgets } = await muster.list_budgets();
  console.log(budgets.length, budgets[0]?.limits); // 0 undefined
  // #endregion
}
{
  // #region list_brokers
  const { brokers } = await muster.list_brokers();
  console.log(brokers.length, brokers[0]?.status); // 1 live
  // #endregion
}
{
  // #region get_overview
  const { machines, open_requests, short } = await muster.get_overview();
  console.log(machines.running, open_requests, short.length); // 0 0 0
  // #endregion
}
{
  // #region get_provider_metrics
  const { providers } = await muster.get_provider_metrics({ provider_instance: 'simulated' });
  console.log(providers[0]?.provider_instance, Object.keys(providers[0]?.faults ?? {})); // simulated []
  // #endregion
}
{
  // #region list_orphans
  const { orphans, count } = await muster.list_orphans();
  console.log(count, orphans[0]?.reason); // 0 undefined
  // #endregion
}
{
  // #region end_orphans
  const { orphans } = await muster.list_orphans();
  const ids = orphans.map(({ id }) => id);
  if (ids.length > 0) await muster.end_orphans({ provider_instance: 'simulated', ids });
  // #endregion
}
{
  // #region get_provider
  const { type, limits, configuration } = await muster.get_provider({ provider_name: 'simulated' });
  console.log(type, limits.max_concurrent_requests, configuration['region']); // cloud null us-east-1
  // #endregion
}
{
  // #region get_provider_capabilities
  const { supported_apis, pricing_models } = await muster.get_provider_capabilities({ provider_name: 'simulated' });
  console.log(supported_apis[0]?.name, pricing_models); // EC2Fleet [ 'ondemand', 'spot' ]
  // #endregion
}
{
  // #region check_provider
  const { answered, status, fault } = await muster.check_provider({ provider_name: 'simulated' });
  console.log(answered, status, fault?.message); // true healthy undefined
  // #endregion
}
{
  // #region discover_provider
  const { networks, images } = await muster.discover_provider({ provider_name: 'simulated' });
  console.log(networks.length, images[0]?.description); // 1 Amazon Linux 2023
  // #endregion
}
{
  // #region get_provider_health
  const { status, healthy, total } = await muster.get_provider_health();
  console.log(status, healthy, total); // healthy 1 1
  // #endregion
}
{
  // #region list_capacity
  const { offers } = await muster.list_capacity({ template_id: 'small' });
  console.log(offers[0]?.state, offers[0]?.tried_again_at); // free undefined
  // #endregion
}
{
  // #region test_provider_selection
  const { provider_instance, selection_reason, rejected } = await muster.test_provider_selection({
    template_id: 'workers',
    selection_strategy: 'api_based',
    machine_count: 5,
  });
  console.log(provider_instance, rejected.length, selection_reason !== ''); // simulated 0 true
  // #endregion
}
{
  // #region validate_provider_configuration
  const { valid, providers } = await muster.validate_provider_configuration({
    providers: [{ name: 'west', type: 'cloud', config: { region: 'us-west-2', cloud_max_retries: 99 } }],
  });
  console.log(valid, providers[0]?.errors.length); // false 1
  // #endregion
}
{
  // #region validate_provider_environment
  const { resolved_configuration, environment_variables } = await muster.validate_provider_environment({
    provider_type: 'cloud',
    environment_variables: { MUSTER_CLOUD_REGION: 'eu-west-1', MUSTER_CLOUD_REGON: 'eu-west-1' },
  });
  console.log(resolved_configuration['region'], environment_variables.ignored); // eu-west-1 [ 'MUSTER_CLOUD_REGON' ]
  // #endregion
}
{
  // #region get_configuration
  const { configuration, origins } = await muster.get_configuration({ key: 'scheduler' });
  console.log(configuration, origins['/scheduler']); // default default
  // #endregion
}
