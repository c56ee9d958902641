import { api } from '../../api/place.ts';
import type { ProviderList } from '../../api/shapes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { hasControls } from '../../parts/mode.ts';
import { Empty, Show } from '../../parts/show.tsx';
import { View } from '../../shell/view.tsx';
import { TemplateForm } from './template-form.tsx';

/** Makes a template, which the broker stores as a layer above the template files. */
export function NewTemplate() {
  const answer = useAnswer<ProviderList>(hasControls ? `${api}/providers/?limit=1000` : undefined);
  return (
    <View title="New template" note="Stored by the broker; template files are never written.">
      {hasControls ? (
        <Show answer={answer.value} what="the provider instances">
          {({ providers }) =>
            providers.length === 0 ? (
              <Empty>There is no provider instance. The configuration names them.</Empty>
            ) : (
              <TemplateForm providers={providers} />
            )
          }
        </Show>
      ) : (
        <Empty>This page shows only. Templates are made in files, or by muster templates create.</Empty>
      )}
    </View>
  );
}
