import { playSome } from './play.ts';

playSome({ throttled: 0, 'capacity-shortage': 1, 'partial-fleet': 2, 'az-outage': 3, 'expired-credentials': 4 });
