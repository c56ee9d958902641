import { linkTo } from '../parts/address.ts';
import { View } from './view.tsx';

export const NotFound = () => (
  <View title="Nothing here">
    <p>
      This address names no view. <a href={linkTo('/')}>Now</a> shows what is going on.
    </p>
  </View>
);
