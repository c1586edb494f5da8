/** The most common passwords of eight characters and more, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `00000000 0123456789 01234567 0987654321 09876543 11111111 111111111 1111111111 11223344 1122334455 12121212 123123123
  12312312 123321123 12341234 1234512345 12345678 123456789 1234567890 12345678910 1234567891 12345679 123456780 123456789a 123456a1
  12344321 12345qwert 123abc123 123qweasd 123qwe123 1234qwer 12qwaszx 13131313 147258369 147852369 1q2w3e4r 1q2w3e4r5t
  1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20202020 22222222 222222222 23232323 31415926 33333333 44444444 55555555 555555555 66666666
  69696969 741852963 77777777 777777777 7777777777 789456123 87654321 88888888 888888888 8675309j 963852741 987654321 9876543210
  98765432 99999999 999999999 a1234567 a12345678 a123456789 a1b2c3d4 aa123456 aa12345678 aaaaaaaa aaaaaaaaa abc12345 abcd1234
  abcd12345 abcdefgh abcdefghi access14 admin123 admin1234 admin12345 adminadmin administrator alexander asdasdasd asdf1234
  asdfasdf asdfghjk asdfghjkl azerty123 azertyuiop babygirl babygirl1 baseball baseball1 basketball battlefield benjamin
  blink182 butterfly caroline changeme changeme1 charlie1 charlotte chocolate christian christmas cocacola computer corvette
  creative darkness december default1 dolphins dragon12 dragonball einstein elephant elizabeth estrella facebook
  fernando firebird football football1 football12 forever1 freedom1 fuckyou1 fuckyou2 gabriela galaxies garfield gateway1 godzilla
  greenday handsome hannah12 hardcore hello123 hello1234 helloworld hercules iloveyou iloveyou1 iloveyou2 iloveyou! infinity
  internet isabella jackass1 jennifer jessica1 jonathan jordan23 justin11 kangaroo kimberly lastfm12 leonardo letmein1 letmein123
  liverpool liverpool1 lollipop logitech loveyou1 marlboro margaret master12 maverick mercedes metallica michael1 michelle
  midnight minecraft monkey12 monkey123 mountain mustang1 mypassword natalie1 newpassword nicholas nintendo november
  p@55w0rd p@ssw0rd p@ssword pa55w0rd pa55word pakistan passpass passw0rd password password! password0 password01 password1 password1!
  password11 password12 password123 password123! password1234 password2 password3 password99 patricia pingpong platinum playboy1 playstation
  pokemon1 porsche1 portugal princess princess1 princesa purple12 q1w2e3r4 q1w2e3r4t5 qazwsx123 qazwsxed qazwsxedc
  qq123456 qwaszx12 qweasd123 qweasdzxc qwer1234 qwert123 qwerty11 qwerty12 qwerty123 qwerty1234 qwerty12345
  qwertyui qwertyuiop qwertyuiop1 rainbow1 redskins remember rockstar rockyou1 samantha samsung1 savannah scorpion september shadow12
  sebastian secret123 sentinel skateboard slipknot snickers snowball something spiderman sporting startrek starwars starwars1
  stephanie steelers strawberry summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 summer2026 sunflower sunshine sunshine1
  superman superman1 superstar sweetheart swordfish target123 telefono terminator test1234 test12345 testtest testing1 testing123 thebest1
  thunder1 thunderbird tinkerbell tigger12 trustno1 trustnoone tweety12 undertaker undertow universe valentina vanessa1 veronica
  victoria virginia volleyball warcraft warriors welcome1 welcome12 welcome123 whatever william1 windows1 windowsxp winter2025
  winter2026 xxxxxxxx yankees1 yosemite zaq12wsx zaq1zaq1 zxcvbnm1 zxcvbnm123 zxcvbnmm`.split(/\s+/),
);
