import { render } from 'preact';
import { followJournal } from './api/live.ts';
import { followLinks } from './parts/address.ts';
import { App } from './shell/app.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();
followLinks();
followJournal();
const place = document.querySelector('#app') as HTMLElement;
place.replaceChildren();
render(<App />, place);
