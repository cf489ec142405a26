"""The API for owners: JSON routes that programs call with a token."""
