const pem = (kind: string, lines: string): string => `-----BEGIN ${kind}-----\n${lines}\n-----END ${kind}-----\n`;

/** For specs: a self-signed certificate for localhost and 127.0.0.1, of no use anywhere else. */
export const TEST_KEY = pem(
  'PRIVATE KEY',
  `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9341knFC07iqB4uO
Br8fZszJw6Na3qOyPA+D/DWJsvahRANCAAROof9owm7aLgoR99T6ZK750ztZccBy
tHjQQMebnh3mmTnk0uIJIE62p0Fnpnl3c5VylRuE0WJT5GEwPpqClbLt`,
);
export const TEST_CERT = pem(
  'CERTIFICATE',
  `MIIBmjCCAUGgAwIBAgIURHbJVZtrn3WLcujBL+ipbX3zFsQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjAyMjUwNVoYDzIxMjYxMDIz
MDIyNTA1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAROof9owm7aLgoR99T6ZK750ztZccBytHjQQMebnh3mmTnk0uIJIE62
p0Fnpnl3c5VylRuE0WJT5GEwPpqClbLto28wbTAdBgNVHQ4EFgQUfnpN141x4Pt/
zR+ULuwIvHuff0swHwYDVR0jBBgwFoAUfnpN141x4Pt/zR+ULuwIvHuff0swDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgNZSZriWutEit29jLi8GORXEyDDEHK/F0tVx5isnLQZUCIH0D
YFMGG/MrJ7Oes/3MKfIhTyeUAFbPPauQIU10l2U3`,
);
