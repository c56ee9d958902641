import { playSome } from './play.ts';

playSome({ 'eventual-consistency': 5, 'lost-answers': 6, 'spot-reclaim': 7, 'slow-boot': 8, chaos: 9 });
