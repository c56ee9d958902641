import '../../config/own-name-register.ts';
