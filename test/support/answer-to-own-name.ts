/** For `node --import`: what is run finds this muster under its own name, without a build. */
import { answerToOwnName } from '../../config/own-name.ts';

answerToOwnName();
