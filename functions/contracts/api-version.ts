/** Of the interface; paths carry none. */
export const apiVersion = '1.0.0';
