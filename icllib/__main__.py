from icllib.cli import main

main()
